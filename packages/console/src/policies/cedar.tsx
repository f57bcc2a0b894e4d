import { Marked } from "../lib/foreign.tsx";

const token =
  /(?<comment>\/\/.*)|(?<string>"(?:[^"\\]|\\.)*")|(?<annotation>@\w+)|(?<effect>\b(?:permit|forbid)\b)|(?<keyword>\b(?:when|unless|if|then|else|in|like|has|is|true|false)\b)|(?<entity>\b\w+(?=::))/g;

const colors: Readonly<Record<string, string>> = {
  comment: "text-muted italic",
  string: "text-added",
  annotation: "text-medium",
  effect: "font-semibold text-ink",
  keyword: "text-ink",
  entity: "text-unknown",
};

interface Piece {
  readonly text: string;
  readonly color?: string | undefined;
}

/** Splits a line of Cedar into pieces by their color. */
function splitLine(line: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of line.matchAll(token)) {
    const kind = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined)?.[0] ?? "";
    if (match.index > end) pieces.push({ text: line.slice(end, match.index) });
    pieces.push({ text: match[0], color: colors[kind] });
    end = match.index + match[0].length;
  }
  if (end < line.length) pieces.push({ text: line.slice(end) });
  return pieces;
}

/** A line of Cedar with its colors. Hidden characters are named. */
export function CedarLine({ line }: { readonly line: string }) {
  return splitLine(line).map(({ text, color }, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one line never move
    <span key={index} className={color}>
      <Marked text={text} />
    </span>
  ));
}

/** A file of Cedar policies with line numbers. */
export function CedarText({ text, marked }: { readonly text: string; readonly marked?: number | undefined }) {
  return (
    <pre
      role="region"
      tabIndex={0}
      aria-label="Policies"
      className="overflow-x-auto py-1.5 leading-5 -outline-offset-2"
    >
      {text
        .replace(/\n$/, "")
        .split("\n")
        .map((line, index) => (
          <span
            // biome-ignore lint/suspicious/noArrayIndexKey: the lines of one text never move
            key={index}
            id={`line-${index + 1}`}
            className={`block min-w-max scroll-mt-16 pr-3.5 ${marked === index + 1 ? "bg-ink-soft" : ""}`}
          >
            <span aria-hidden="true" className="inline-block w-12 pr-3 text-right text-muted select-none">
              {index + 1}
            </span>
            <CedarLine line={line} />
            {"\n"}
          </span>
        ))}
    </pre>
  );
}
