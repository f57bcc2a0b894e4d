import { z } from "zod";
import type { Json } from "../../json.ts";

/**
 * Returns the test of a format. A value passes if the format does not apply to its type. Unknown formats are
 * annotations and have no test.
 */
export function formatOf(name: string): ((value: Json) => boolean) | undefined {
  const numbers = Object.hasOwn(ofNumbers, name) ? ofNumbers[name as keyof typeof ofNumbers] : undefined;
  if (numbers) return (value) => typeof value !== "number" || numbers(value);
  const texts = Object.hasOwn(ofTexts, name) ? ofTexts[name as keyof typeof ofTexts] : undefined;
  return texts && ((value) => typeof value !== "string" || (value.length <= longest && texts(value)));
}

/**
 * The maximum length of a text that can match a format. A longer text is rejected without a test, because no date,
 * address or host name is that long.
 */
const longest = 2_048;

const ofNumbers = {
  int32: (value: number) => Number.isInteger(value) && value >= -(2 ** 31) && value < 2 ** 31,
  int64: (value: number) => Number.isInteger(value),
};

const fits = (schema: z.ZodType) => (value: string) => schema.safeParse(value).success;

const ofTexts = {
  "date-time": fits(z.iso.datetime({ offset: true, local: false })),
  date: fits(z.iso.date()),
  time: (value: string) =>
    /^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i.test(value),
  duration: fits(z.iso.duration()),
  email: fits(z.email()),
  uuid: fits(z.guid()),
  ipv4: fits(z.ipv4()),
  ipv6: fits(z.ipv6()),
  hostname: fits(z.hostname()),
  uri: (value: string) => /^[a-z][a-z0-9+.-]*:[^\s<>"\\^`{|}]*$/i.test(value),
  "uri-reference": (value: string) => /^[^\s<>"\\^`{|}]*$/.test(value),
};
