// Streamlit restyles its own elements without running the script; the colours of our data need a run.

function mount({ data, parentElement, setTriggerValue }) {
  let said = data.type;
  const looking = setInterval(() => {
    const type = wearing(parentElement.host).dark ? "dark" : "light";
    if (type !== said) setTriggerValue("changed", (said = type));
  }, 250);
  return () => clearInterval(looking);
}
