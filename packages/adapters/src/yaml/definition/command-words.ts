/** A command line, split when the file is read. Nothing is expanded, and no shell is involved. */
export interface CommandWords {
  readonly words: readonly string[];
  /** The word after `<`. */
  readonly from?: string;
  /** The word after `>`. */
  readonly into?: string;
}

/** Splits a command line, and reports its faults. */
export function parseCommandWords(line: string, fault: (message: string) => void): CommandWords {
  const words: string[] = [];
  const redirected: { "<"?: string; ">"?: string } = {};
  let redirection: "<" | ">" | undefined;
  for (const piece of splitPieces(line, fault)) {
    if (piece.kind === "redirection") {
      if (redirection) fault(`nothing follows \`${redirection}\``);
      redirection = piece.sign;
    } else if (redirection) {
      if (redirected[redirection] !== undefined) fault(`\`${redirection}\` occurs twice`);
      redirected[redirection] = piece.text;
      redirection = undefined;
    } else {
      words.push(piece.text);
    }
  }
  if (redirection) fault(`nothing follows \`${redirection}\``);
  return {
    words,
    ...(redirected["<"] !== undefined && { from: redirected["<"] }),
    ...(redirected[">"] !== undefined && { into: redirected[">"] }),
  };
}

type Piece =
  | { readonly kind: "word"; readonly text: string }
  | { readonly kind: "redirection"; readonly sign: "<" | ">" };

/**
 * Splits a command line into words and redirections. Quotes group a word. A backslash escapes the next character, but
 * not in single quotes.
 */
function splitPieces(line: string, fault: (message: string) => void): Piece[] {
  const pieces: Piece[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  const end = () => {
    if (word !== undefined) pieces.push({ kind: "word", text: word });
    word = undefined;
  };
  for (let at = 0; at < line.length; at += 1) {
    const character = line[at]!;
    if (character === "\\" && quote !== "'") {
      at += 1;
      if (line[at] === undefined) fault("it ends in a backslash");
      word = (word ?? "") + (line[at] ?? "");
    } else if (character === quote) {
      quote = undefined;
    } else if (quote !== undefined) {
      word += character;
    } else if (character === "'" || character === '"') {
      quote = character;
      word ??= "";
    } else if (/\s/.test(character)) {
      end();
    } else if (character === "<" || character === ">") {
      if (word !== undefined && /^\d+$/.test(word))
        fault(`\`${word}${character}\`: only \`<\` and \`>\` are supported`);
      end();
      pieces.push({ kind: "redirection", sign: character });
    } else {
      if (/[|&;()$`]/.test(character)) {
        fault(`\`${character}\` needs a shell, and Paraph uses none: quote it, or give the tool a script`);
      }
      word = (word ?? "") + character;
    }
  }
  if (quote !== undefined) fault(`a quote (${quote}) is not closed`);
  end();
  return pieces;
}
