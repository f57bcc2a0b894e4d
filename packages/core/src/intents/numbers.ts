/** The values that a written number can have. `1.250` has two, because a point separates thousands or decimals. */
export function readNumber(text: string): readonly number[] {
  if (!/^[+-]?\d[\d.,'’]*$/.test(text) || /[.,'’]$/.test(text)) return [];
  const plain = text.replaceAll(/['’]/g, "");
  const marks = [...plain.matchAll(/[.,]/g)].map(([mark]) => mark);
  const [first] = marks;
  if (first === undefined) return toValues(plain);
  const last = marks.at(-1)!;
  const isGrouped = (mark: string) =>
    plain
      .replace(/^[+-]/, "")
      .split(last !== mark ? last : "|")[0]!
      .split(mark)
      .every((part, index) => (index === 0 ? /^[1-9]\d{0,2}$/.test(part) : /^\d{3}$/.test(part)));
  if (first !== last) {
    // Two kinds of marks: the first groups thousands, and the last, which may occur only once, begins the decimals.
    if (marks.filter((mark) => mark === last).length > 1 || !isGrouped(first)) return [];
    return toValues(plain.replaceAll(first, "").replace(last, "."));
  }
  if (marks.length > 1) return isGrouped(first) ? toValues(plain.replaceAll(first, "")) : [];
  const decimal = toValues(plain.replace(first, "."));
  return isGrouped(first) ? [...toValues(plain.replace(first, "")), ...decimal] : decimal;
}

function toValues(text: string): readonly number[] {
  const value = Number(text);
  return Number.isFinite(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER ? [value] : [];
}

/** An amount of money. Without `currency`, its symbol stands for several currencies. */
export interface Amount {
  readonly minor: number;
  readonly decimals: number;
  readonly currency?: string;
  readonly currencies: readonly string[];
}

const symbols = new Map<string, readonly string[]>([
  ["€", ["EUR"]],
  ["£", ["GBP"]],
  ["$", ["USD", "CAD", "AUD", "NZD", "SGD", "HKD", "MXN"]],
  ["US$", ["USD"]],
  ["¥", ["JPY", "CNY"]],
  ["₹", ["INR"]],
  ["CHF", ["CHF"]],
  ["euro", ["EUR"]],
  ["euros", ["EUR"]],
  ["pound", ["GBP"]],
  ["pounds", ["GBP"]],
  ["pfund", ["GBP"]],
  ["franken", ["CHF"]],
  ["dollar", ["USD", "CAD", "AUD", "NZD", "SGD", "HKD"]],
  ["dollars", ["USD", "CAD", "AUD", "NZD", "SGD", "HKD"]],
  ["dólares", ["USD", "CAD", "AUD", "NZD", "SGD", "HKD"]],
]);
const codes = new Set(
  "EUR USD GBP CHF SEK NOK DKK PLN CZK CAD AUD NZD JPY CNY INR MXN BRL SGD HKD".split(" "),
);
const withoutDecimals = new Set(["JPY"]);

/** Returns the currencies for which a word or symbol stands, or none if it is no currency. */
export function readCurrency(text: string): readonly string[] {
  return codes.has(text) ? [text] : (symbols.get(text) ?? symbols.get(text.toLowerCase()) ?? []);
}

/** Returns the amount, or undefined if its number of minor units is not certain. */
export function toAmount(number: string, currencies: readonly string[]): Amount | undefined {
  const [decimals, ...otherDecimals] = new Set(currencies.map((one) => (withoutDecimals.has(one) ? 0 : 2)));
  if (decimals === undefined || otherDecimals.length > 0) return undefined;
  const amounts = readNumber(number)
    .map((value) => Number((value * 10 ** decimals).toFixed(4)))
    .filter((value) => Number.isSafeInteger(value) && value >= 0);
  // `€1.250` has one meaning, because an amount has no three decimals.
  const [minor, ...others] = /[.,]\d{3}$/.test(number) ? amounts.slice(0, 1) : amounts;
  if (minor === undefined || others.length > 0) return undefined;
  return { minor, decimals, currencies, ...(currencies.length === 1 && { currency: currencies[0]! }) };
}
