/** The maximum number of open brackets at one place of a policy. */
export const maxBracketDepth = 50;
/** The maximum number of operators in one policy. */
export const maxOperators = 1_000;

/** The maximum number of `if` in one policy. Each can stand inside the one before. */
export const maxConditions = 100;

/** A policy that is too large for Cedar's parser. */
export interface OversizedPolicy {
  /** The line where the policy passes the limit. */
  readonly line: number;
  readonly sentence: string;
}

/**
 * Returns the first policy of a text that Cedar could not parse safely. Cedar's parser and evaluator call themselves for
 * each bracket and each operator. Past some hundred levels the WebAssembly module runs out of stack. From then on it
 * fails for every other policy too, until the process starts again [TRUST 24].
 */
export function findOversizedPolicy(text: string): OversizedPolicy | undefined {
  let line = 1;
  let depth = 0;
  let operators = 0;
  let conditions = 0;
  for (const [token] of text.matchAll(tokens)) {
    line += countLineBreaks(token);
    if (/^[([{]/.test(token)) depth += 1;
    else if (/^[)\]}]/.test(token)) depth = Math.max(0, depth - 1);
    else if (token === ";" && depth === 0) operators = conditions = 0;
    if (isOperator(token)) operators += 1;
    if (token === "if") conditions += 1;
    if (depth > maxBracketDepth)
      return { line, sentence: `more than ${maxBracketDepth} brackets are open; write a flatter condition` };
    if (conditions > maxConditions)
      return { line, sentence: `the policy has more than ${maxConditions} \`if\`; split it` };
    if (operators > maxOperators)
      return { line, sentence: `the policy has more than ${maxOperators} operators; split it, or use a set` };
  }
  return undefined;
}

/** Comments, texts, words, line breaks, and all other characters one by one. An unclosed text ends at the end. */
const tokens = /\/\/[^\n]*|"(?:[^"\\]|\\[\s\S])*"?|[A-Za-z_][A-Za-z0-9_]*|&&|\|\||\n|[^\s]/g;

/** `[` counts both as a bracket and as an operator, because it can also read an attribute. */
function isOperator(token: string): boolean {
  return operatorTokens.has(token);
}

const operatorTokens = new Set(["&&", "||", "+", "-", "*", ".", "[", "!", "has", "like", "in", "is"]);

function countLineBreaks(token: string): number {
  return token.split("\n").length - 1;
}
