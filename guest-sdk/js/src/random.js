// Chance: the contract's `random`.
import host from "cepa:middleware/random@0.1.0";

export const bytes = (count) => host.bytes(count);
// QuickJS takes the upper half of the numbers for negative ones.
export const number = () => host.number() >>> 0;
export const uuid = () => host.uuid();
