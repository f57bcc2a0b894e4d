import { escapeInvisibleJson, splitInvisible } from "@paraph/core/escape-invisible";

/**
 * Shows text from outside of Paraph. The text cannot reorder its surroundings, and each hidden character is named and
 * marked.
 */
export function Foreign({ text }: { readonly text: string }) {
  return (
    <bdi className="[overflow-wrap:anywhere]">
      <Marked text={text} />
    </bdi>
  );
}

/** Shows text that has a block of its own, with its hidden characters named and marked. */
export function Marked({ text }: { readonly text: string }) {
  return splitInvisible(text).map((segment, index) =>
    segment.named ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the segments of one text never move
      <mark key={index} className="rounded-sm bg-mark px-0.5 font-mono text-on-mark">
        {segment.text}
      </mark>
    ) : (
      segment.text
    ),
  );
}

/** Shows a sentence of Paraph in which backticks enclose code. A sentence with an odd backtick is shown as it is. */
export function Sentence({ text }: { readonly text: string }) {
  const parts = text.split("`");
  if (parts.length % 2 === 0) return <Foreign text={text} />;
  return parts.map((part, index) =>
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never move
      <code key={index} className="[overflow-wrap:anywhere]">
        <Foreign text={part} />
      </code>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never move
      <Foreign key={index} text={part} />
    ),
  );
}

/** Formats a value as JSON without hidden characters. */
export function formatJson(value: unknown): string {
  return escapeInvisibleJson(value, 2);
}
