import { RE2JS } from "re2js";
import type { Maker } from "./maker.ts";
import type { Run } from "./run.ts";

const longest = 2_000;
/**
 * The maximum number of states of one pattern. The number of characters is no measure, because `((a{0,100}){0,10})` has
 * only eighteen characters but two thousand states.
 */
const maxStates = 500;
const maxTotalStates = 5_000;
/** The number of pattern states that together cost one unit of work for each character of the text. */
const statesPerWork = 25;

/**
 * [TRUST 24] Compiles a pattern with RE2, so that its run time is linear in the length of the text. RE2 has no
 * look-around and no back references. A document that needs them is rejected when it is read.
 */
export function matcherOf(
  pattern: unknown,
  where: string,
  maker: Maker,
): ((text: string, run: Run) => boolean) | undefined {
  if (typeof pattern !== "string" || pattern.length > longest) {
    maker.fault(where, `has to be a pattern of at most ${longest} characters`);
    return undefined;
  }
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
    const states = compiled.programSize();
    maker.states += states;
    if (states > maxStates || maker.states > maxTotalStates) {
      maker.fault(
        where,
        "is too complex, alone or together with the other patterns; use smaller repetition counts, or `maxLength`",
      );
      return undefined;
    }
    return (text, run) => {
      run.charge(text.length * (1 + states / statesPerWork));
      return compiled.test(text);
    };
  } catch {
    maker.fault(
      where,
      "is a pattern that RE2 does not support; use no look-around, no back references and only short names of character classes (`\\p{L}`)",
    );
    return undefined;
  }
}
