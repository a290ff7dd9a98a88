// The way into a room, for a phone whose address lacks the code or has a wrong one.

function enter({ said }, main) {
  main.className = "phone";
  main.innerHTML = `<h1>Enter a room</h1><p role="alert"></p><form class="row"><label>The code on the wall <input maxlength="8" autocapitalize="characters" autocomplete="off" required></label><button class="primary">Enter</button></form>`;
  main.querySelector("[role=alert]").textContent = said;
  main.querySelector("form").onsubmit = () => { location.assign(`${location.pathname.replace(/\/room(\/.*)?$/, "")}/room/${encodeURIComponent(main.querySelector("input").value.trim().toUpperCase())}`); return false; };
}
