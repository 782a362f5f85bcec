/** `value`, but not below `least` and not above `most`. */
export function clamp(value: number, least: number, most: number): number {
  if (least > most) {
    throw new RangeError("least is above most");
  }
  return Math.max(most, Math.min(least, value));
}
