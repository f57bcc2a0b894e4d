import { expect, it } from "vitest";
import { parseCommandWords } from "./command-words.ts";

function read(line: string) {
  const faults: string[] = [];
  return { ...parseCommandWords(line, (message) => faults.push(message)), faults };
}

it("[seed: ADR-029] parses the seed's command line", () => {
  expect(read("{binary} --model {model} < {prompt_file}")).toEqual({
    words: ["{binary}", "--model", "{model}"],
    from: "{prompt_file}",
    faults: [],
  });
});

it("respects quotes and backslashes, and expands nothing", () => {
  const line = `{binary} "a b" 'c "d" \\' e\\ f "" --x="{y} z" "\\"" *.txt ~ > {output_file}`;
  expect(read(line)).toEqual({
    words: ["{binary}", "a b", 'c "d" \\', "e f", "", "--x={y} z", '"', "*.txt", "~"],
    into: "{output_file}",
    faults: [],
  });
});

it.each([
  ["a pipe", "{binary} a | b"],
  ["two commands", "{binary} a; b"],
  ["the background", "{binary} a & b"],
  ["a substitution", "{binary} $(b)"],
  ["an old substitution", "{binary} `b`"],
  ["a variable", "{binary} $HOME"],
  ["appending", "{binary} >> {output_file}"],
  ["another stream", "{binary} 2> {output_file}"],
  ["nothing to read", "{binary} <"],
  ["two things to read", "{binary} < {a_file} < {b_file}"],
  ["an open quote", '{binary} "a'],
  ["a last backslash", "{binary} a\\"],
])("[TRUST 18] %s is a fault and is not interpreted as shell syntax", (_, line) => {
  expect(read(line).faults).not.toEqual([]);
});
