// What stands in the place of a script that keeps a browser busy for seconds, and gives what that one gives: it is
// fetched once the components of the page have begun and the browser is idle.

const BEGINS = 60; // looks, 50 milliseconds apart, after which a component that has not begun is not waited for
const pause = (wait, how) => new Promise((done) => wait(done, how));
const waits = () => document.querySelector("[data-testid=stBidiComponentIsolated]:not([data-begun])");

for (let look = 0; look < BEGINS && waits(); look++) await pause(setTimeout, 50);
await pause(globalThis.requestIdleCallback ?? setTimeout, { timeout: 1000 });
const whole = await import("./NAME?whole");
export const { GIVEN } = whole;
export default whole.default;
