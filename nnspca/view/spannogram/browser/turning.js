// Play turns a direction: slowly where the set changes, so that it can be told.

const LAP = 26; // seconds for the whole turn at speed 1
const SLOW = 0.06; // of the speed, while a change is shown
const CROWD = 60; // changes of the set up to which Play slows at each; of more, at one every REST milliseconds
const REST = 2000;
const FLASH = 1000; // milliseconds that Play takes over a change, and its ring flashes

class Turning extends Shown {
  /** The angle to turn on by since the frame before. */
  angleSince(now) {
    const passed = this.last === undefined ? 0 : Math.min(now - this.last, 100) / 1000;
    return (now < (this.slowing ?? 0) ? SLOW : 1) * (TURN / LAP) * this.speed * passed;
  }

  /** Whether Play slows at a change, one of so many. */
  slowsAt(now, changes) { return changes <= CROWD || now > (this.slowing ?? 0) + REST; }

  /** Take a second over a change. */
  slow(now) {
    this.slowing = now + FLASH / Math.max(1, this.speed);
    this.flashing = prefersStill() ? 0 : this.slowing;
    this.box.dataset.slowed = String(Number(this.box.dataset.slowed ?? 0) + 1);
  }

  /** How far the flash at a change has come, from 1 down to 0. */
  flash(now) { return now < this.flashing ? ((this.flashing - now) / FLASH * 2) % 1 : 0; }
}
