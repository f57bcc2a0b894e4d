import fc from "fast-check";

/** Draws the whitespace and comments that may stand between two tokens. */
export const blankArbitrary = fc.constantFrom(
  "",
  " ",
  "\n",
  "\r\n\t",
  '/* { " */',
  "// } ü\n",
  " \n // ,\r\n ",
);

/** Draws a text of the value with whitespace, comments and commas wherever they are allowed. */
export function jsonTextArbitrary(value: fc.JsonValue): fc.Arbitrary<string> {
  const isList = Array.isArray(value);
  if (typeof value !== "object" || value === null) return fc.constant(JSON.stringify(value));
  const parts = isList
    ? value.map(jsonTextArbitrary)
    : Object.entries(value).map(([key, inner]) =>
        fc
          .tuple(blankArbitrary, blankArbitrary, jsonTextArbitrary(inner as fc.JsonValue))
          .map(([before, after, text]) => `${JSON.stringify(key)}${before}:${after}${text}`),
      );
  const [open, close] = isList ? "[]" : "{}";
  return fc
    .tuple(fc.tuple(...parts), fc.array(blankArbitrary, { minLength: 2, maxLength: 2 }), fc.boolean())
    .map(([texts, [a, b], comma]) => {
      const last = comma && texts.length > 0 ? "," : "";
      return `${open}${a}${texts.join(`${b},${a}`)}${b}${last}${a}${close}`;
    });
}
