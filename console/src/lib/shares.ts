// The shares of a blend, and where they lie on a line, in a triangle or in a square.

/** A place on the surface: both from 0 to 1, `y` downwards. */
export interface Place {
  x: number;
  y: number;
}

/** The corners for so many voices, in their order. */
export const CORNERS: Record<number, Place[]> = {
  2: [
    { x: 0, y: 0.5 },
    { x: 1, y: 0.5 },
  ],
  3: [
    { x: 0.5, y: 0 },
    { x: 0, y: 1 },
    { x: 1, y: 1 },
  ],
  4: [
    { x: 0, y: 0 },
    { x: 1, y: 0 },
    { x: 0, y: 1 },
    { x: 1, y: 1 },
  ],
};

const clamp = (value: number) => Math.min(1, Math.max(0, value));

/** Shares in whole hundredths that add up to 1; what rounding leaves goes to the largest. */
export function rounded(shares: number[]): number[] {
  const sum = shares.reduce((all, one) => all + Math.max(0, one), 0);
  const cents = shares.map((one) => Math.round((sum > 0 ? Math.max(0, one) / sum : 1 / shares.length) * 100));
  const largest = cents.indexOf(Math.max(...cents));
  cents[largest] += 100 - cents.reduce((all, one) => all + one, 0);
  return cents.map((one) => one / 100);
}

/** Equal shares. */
export function equal(count: number): number[] {
  return rounded(Array.from({ length: count }, () => 1));
}

/** Where shares lie. */
export function placeOf(shares: number[]): Place {
  const corners = CORNERS[shares.length];
  const along = (axis: keyof Place) => shares.reduce((sum, share, i) => sum + share * corners[i][axis], 0);
  return { x: clamp(along("x")), y: clamp(along("y")) };
}

/** The shares of a place: the nearer a corner, the more of its voice. Outside of the triangle it is the nearest ones that count. */
export function sharesAt({ x, y }: Place, count: number): number[] {
  const [a, b] = [clamp(x), clamp(y)];
  if (count === 2) return rounded([1 - a, a]);
  if (count === 4) return rounded([(1 - a) * (1 - b), a * (1 - b), (1 - a) * b, a * b]);
  // Barycentric coordinates of the triangle above.
  return rounded([1 - b, b / 2 + 0.5 - a, b / 2 - 0.5 + a]);
}

/** The shares when one of them becomes `value`: the others keep their ratio. */
export function withShare(shares: number[], at: number, value: number): number[] {
  const rest = shares.reduce((sum, share, i) => (i === at ? sum : sum + share), 0);
  const left = 1 - clamp(value);
  const others = shares.map((share, i) => (i === at ? clamp(value) : rest > 0 ? (share / rest) * left : left / (shares.length - 1)));
  // The one that was set stays what it was set to.
  const cents = others.map((share) => Math.round(share * 100));
  const over = cents.reduce((sum, one) => sum + one, 0) - 100;
  const fits = cents.findIndex((one, i) => i !== at && one >= over);
  if (fits >= 0) cents[fits] -= over;
  return cents.map((one) => one / 100);
}
