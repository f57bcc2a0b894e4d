import { findNearest, type Json } from "@paraph/core";
import { z } from "zod";
import type { OutputReader, OutputReading } from "./output-reader.ts";
import { toWellFormedJson } from "./well-formed-json.ts";

/**
 * Reads the output of a tool in code. Use it for a format that no rule of a YAML file can read. Secrets are already
 * removed from the output.
 */
export type CustomReader = (output: string) => Omit<OutputReading, "unread">;

/** The functions of the configuration that read outputs, by name. */
export type CustomReaders = Readonly<Record<string, CustomReader>>;

const amount = z.number().nonnegative();
const reading = z.strictObject({
  text: z.string(),
  data: z.json().optional(),
  tokens: z
    .strictObject({ input: z.int().nonnegative().optional(), output: z.int().nonnegative().optional() })
    .optional(),
  cost: amount.optional(),
  error: z.string().optional(),
});

/** Creates the reader that calls a function of the configuration. Reports a name without a function as a fault. */
export function createCustomReader(
  name: string,
  custom: CustomReaders,
  fault: (message: string) => void,
): OutputReader {
  const read = Object.hasOwn(custom, name) ? custom[name] : undefined;
  if (!read) {
    const near = findNearest(name, Object.keys(custom));
    const hint = near === undefined ? "add the function" : `did you mean \`${near}\`?`;
    fault(`\`outputReaders\` of the adapter has no function \`${name}\`: ${hint}`);
    return (text) => ({ text });
  }
  return (text) => {
    // The tool has run. An error of the reader therefore must not fail the call, which would suggest that nothing happened.
    const checked = reading.safeParse(callReader(read, text));
    return checked.success
      ? (toWellFormedJson(JSON.parse(JSON.stringify(checked.data)) as Json) as unknown as OutputReading)
      : {
          text,
          unread: `The function \`${name}\` did not return a valid reading. Paraph returns the output unchanged.`,
        };
  };
}

function callReader(read: CustomReader, text: string): unknown {
  try {
    return read(text);
  } catch {
    return undefined;
  }
}
