import { conjunctions, connectives } from "./lexicon.ts";
import type { Token } from "./tokens.ts";

/**
 * Splits the tokens into clauses, one for each request. A sentence end, a connective such as `and then`, and an `and`
 * or a comma before the action of another request separate them.
 */
export function splitClauses(
  tokens: readonly Token[],
  isAction: (token: Token | undefined) => boolean,
): readonly (readonly Token[])[] {
  const clauses: Token[][] = [[]];
  for (let at = 0; at < tokens.length; ) {
    const length = measureBoundary(tokens, at, isAction);
    if (length === 0) clauses.at(-1)!.push(tokens[at]!);
    else clauses.push([]);
    at += Math.max(1, length);
  }
  return clauses.map(trimMarks).filter((clause) => clause.length > 0);
}

/** Returns the number of tokens of the boundary that begins here, or 0 if none does. */
function measureBoundary(
  tokens: readonly Token[],
  at: number,
  isAction: (token: Token | undefined) => boolean,
): number {
  const token = tokens[at]!;
  if (token.kind === "end") return 1;
  const connective = connectives.find((words) =>
    words.every((word, index) => isWord(tokens[at + index], word)),
  );
  if (connective) return connective.length;
  const isSeparator = (token.kind === "mark" && token.text === ",") || isConjunction(token);
  return isSeparator && isAction(tokens[at + 1]) ? 1 : 0;
}

export function isConjunction(token: Token | undefined): boolean {
  return token?.kind === "word" && conjunctions.has(token.lower);
}

function isWord(token: Token | undefined, word: string): boolean {
  return token?.kind === "word" && token.lower === word;
}

function trimMarks(clause: readonly Token[]): readonly Token[] {
  const isLoose = (token: Token | undefined) => token?.kind === "mark" || isConjunction(token);
  let from = 0;
  let to = clause.length;
  while (from < to && isLoose(clause[from])) from += 1;
  while (to > from && isLoose(clause[to - 1])) to -= 1;
  return clause.slice(from, to);
}
