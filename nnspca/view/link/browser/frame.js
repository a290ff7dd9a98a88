// The frame of a component: its page and style come with its script, and what it is sent once is kept.

const calls = new WeakMap(); // by place, the last one
let last = {}; // what came from an address, or with it

export default async function (component) {
  const { parentElement: root, data } = component, call = {};
  if (!calls.has(root)) root.append(document.createRange().createContextualFragment(PAGE));
  calls.set(root, call);
  if (root.host) root.host.dataset.begun = ""; // late.js waits for it
  if (!data.once) return mount(component);
  const { address, content } = data.once;
  if (address !== last.address) last = { address, content: content ?? (await (await fetch(address)).json()) };
  if (calls.get(root) === call) return mount({ ...component, data: { ...data, ...last.content } });
}
