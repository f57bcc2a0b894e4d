import type { Capability } from "../capability/capability.ts";
import { splitName } from "./fields.ts";
import { detectLanguages, isFiller, type Language, listActions, toConcept } from "./lexicon.ts";
import type { Token } from "./tokens.ts";

/** The words by which a requester can mean a capability. */
export interface CapabilityWords {
  readonly capability: Capability;
  readonly name: string;
  /** Words for the action, such as `move` and `rename`. */
  readonly actions: ReadonlySet<string>;
  /** Words for its object, such as `file`. These words may occur in a request and add nothing to it. */
  readonly things: ReadonlySet<string>;
}

/** The result of the search for the capability of one clause. `at` is the place of its action word. */
export type CapabilityMatch =
  | { readonly kind: "found"; readonly words: CapabilityWords; readonly at: number }
  | { readonly kind: "ambiguous"; readonly options: readonly CapabilityWords[]; readonly at: number }
  | { readonly kind: "none" };

/** Returns the words of a capability, which come from its name and its summary. */
export function toCapabilityWords(capability: Capability): CapabilityWords {
  const { name, summary } = capability.contract;
  const own = splitName(name.slice(name.indexOf(".") + 1));
  const told = splitName(summary);
  const alternatives = told.filter((_word, index) => told[index - 1] === "or");
  const actions = new Set([own[0]!, told[0] ?? own[0]!, ...alternatives].map(toConcept).flatMap(listActions));
  const things = new Set([...splitName(name), ...told].map(toConcept));
  return { capability, name, actions, things };
}

/** Returns whether the token can begin a request for one of the capabilities. */
export function isActionToken(token: Token | undefined, known: readonly CapabilityWords[]): boolean {
  return token !== undefined && findCandidates(token, known).length > 0;
}

/**
 * Finds the capability of a clause. Its action must be the first word that is not a connecting word or, as in German,
 * the last. Of several capabilities with this action, it is the one that more words of the clause belong to.
 */
export function matchCapability(
  clause: readonly Token[],
  known: readonly CapabilityWords[],
  languages: ReadonlySet<Language>,
): CapabilityMatch {
  const first = clause.findIndex((token) => token.kind !== "mark" && !isConnecting(token, languages));
  for (const at of [first, clause.length - 1]) {
    const token = clause[at];
    const candidates = token ? findCandidates(token, known) : [];
    if (candidates.length > 0) return chooseCandidate(candidates, clause, at);
  }
  return { kind: "none" };
}

function findCandidates(token: Token, known: readonly CapabilityWords[]): readonly CapabilityWords[] {
  if (token.kind === "term")
    return known.filter(({ name }) => name === token.text || name.endsWith(`.${token.text}`));
  if (token.kind !== "word") return [];
  const concept = toConcept(token.lower);
  return known.filter(({ actions }) => actions.has(concept));
}

function chooseCandidate(
  candidates: readonly CapabilityWords[],
  clause: readonly Token[],
  at: number,
): CapabilityMatch {
  const scores = candidates.map(
    ({ things }) =>
      new Set(
        clause.flatMap((token, index) =>
          index !== at && token.kind === "word" && things.has(toConcept(token.lower))
            ? toConcept(token.lower)
            : [],
        ),
      ).size,
  );
  const best = Math.max(...scores);
  const options = candidates.filter((_one, index) => scores[index] === best);
  return options.length === 1
    ? { kind: "found", words: options[0]!, at }
    : { kind: "ambiguous", options, at };
}

export function isConnecting(token: Token, languages: ReadonlySet<Language>): boolean {
  return token.kind === "word" && isFiller(token.lower, languages);
}

/** Returns the languages of a request, by its words. */
export function detectTokenLanguages(tokens: readonly Token[]): ReadonlySet<Language> {
  return detectLanguages(tokens.flatMap((token) => (token.kind === "word" ? token.lower : [])));
}
