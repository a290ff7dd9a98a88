// Play turns a direction: slowly where the set changes, so that it can be told.

const LAP = 26; // seconds for the whole turn at speed 1
const SLOW = 0.06; // of the speed, while a change is shown
const CROWD = 60; // changes of the set up to which Play slows at each; of more, at one every REST milliseconds
const REST = 2000;
const FLASH = 1000; // milliseconds that Play takes over a change, and its ring flashes

/** Knows how many `changes` there are, the next one `changeWithin` an angle, and how to `turnBy` an angle and to `tellChange`. */
class Turning extends Shown {
  /** Turn on since the frame before; at a change of the set stop, and take a second over it. */
  advance(now) {
    const passed = Math.min(now - (this.last ?? now), 100) / 1000, angle = (now < (this.slowing ?? 0) ? SLOW : 1) * (TURN / LAP) * this.speed * passed;
    const change = this.changeWithin(angle), stops = change && (this.changes <= CROWD || now > (this.slowing ?? 0) + REST);
    const tells = stops || (change && now > (this.slowing ?? 0));
    this.turnBy(stops ? change.angle : angle);
    if (stops) {
      this.slowing = now + FLASH / Math.max(1, this.speed);
      this.flashing = prefersStill() ? 0 : this.slowing;
      this.box.dataset.slowed = String(Number(this.box.dataset.slowed ?? 0) + 1);
    }
    if (tells) this.tellChange(change);
  }

  /** How far the flash at a change has come, from 1 down to 0. */
  flash(now) { return now < this.flashing ? ((this.flashing - now) / FLASH * 2) % 1 : 0; }
}
