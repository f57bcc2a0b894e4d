import { ArrowRight, ChevronDown } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Foreign, formatJson, Marked } from "../lib/foreign.tsx";
import { type DiffLine, parseDiff } from "./diff.ts";
import { EndMark } from "./end-mark.tsx";

const maxLines = 60;
const maxCharacters = 6_000;

/** A unified diff. Each line is colored, and screen readers hear whether it was added or removed. */
export function DiffBlock({ diff, canFold }: { readonly diff: string; readonly canFold: boolean }) {
  const lines = parseDiff(diff);
  return (
    <Folded
      items={lines}
      canFold={canFold}
      size={({ text }) => text.length}
      noun="lines"
      render={(shown) => (
        <pre
          role="region"
          tabIndex={0}
          aria-label="Diff"
          className="overflow-x-auto py-1.5 leading-5 -outline-offset-2"
        >
          {shown.map((line, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the lines of one diff never move
            <DiffRow key={index} line={line} />
          ))}
        </pre>
      )}
    />
  );
}

const lineColors: Record<DiffLine["kind"], string> = {
  added: "bg-added-soft text-added",
  removed: "bg-removed-soft text-removed",
  same: "",
  head: "bg-sunken text-muted",
};

function DiffRow({ line }: { readonly line: DiffLine }) {
  const { kind, text, number } = line;
  return (
    <span className={`block min-w-max pr-3.5 ${lineColors[kind]}`}>
      <span aria-hidden="true" className="inline-block w-12 pr-3 text-right text-muted select-none">
        {number}
      </span>
      {(kind === "added" || kind === "removed") && <span className="sr-only">{kind}: </span>}
      <Marked text={text} />
      {"\n"}
    </span>
  );
}

/** A text in its own box. It scrolls sideways inside of the box, never with the page. */
export function Code({ text }: { readonly text: string }) {
  return (
    <Folded
      items={text.split("\n")}
      canFold
      size={(line) => line.length}
      noun="lines"
      render={(shown) => (
        <pre
          role="region"
          tabIndex={0}
          aria-label="Text"
          className="overflow-auto rounded-control bg-sunken px-3 py-2 leading-5 whitespace-pre-wrap [overflow-wrap:anywhere]"
        >
          <Marked text={shown.join("\n")} />
        </pre>
      )}
    />
  );
}

/** Shows the first items, and the rest after a press. */
function Folded<T>({
  items,
  canFold,
  size,
  noun,
  render,
}: {
  readonly items: readonly T[];
  readonly canFold: boolean;
  readonly size: (item: T) => number;
  readonly noun: string;
  readonly render: (shown: readonly T[]) => ReactNode;
}) {
  const [isOpen, setOpen] = useState(false);
  let characters = 0;
  const cut = items.findIndex((item, index) => {
    characters += size(item);
    return index > 0 && (index >= maxLines || characters > maxCharacters);
  });
  const isFolded = canFold && !isOpen && cut !== -1;
  return (
    <>
      {render(isFolded ? items.slice(0, cut) : items)}
      {isFolded && (
        <button
          type="button"
          data-unfold=""
          onClick={() => setOpen(true)}
          className="link flex min-h-9 w-full items-center gap-2 border-t border-line px-3.5 py-2 text-sm -outline-offset-2 max-md:min-h-11"
        >
          <ChevronDown size={16} aria-hidden="true" />
          Show the other {(items.length - cut).toLocaleString("en-GB")} {noun}
        </button>
      )}
      <EndMark key={String(isFolded)} isHidden={isFolded} />
    </>
  );
}

/** Named values as rows: the value, or the value before and after. */
export function ValueTable({ values }: { readonly values: Readonly<Record<string, unknown>> }) {
  return (
    <dl className="border-t border-line">
      {Object.entries(values).map(([name, value]) => (
        <div
          key={name}
          className="border-b border-line px-3.5 py-2 last:border-b-0 sm:grid sm:grid-cols-[minmax(112px,180px)_1fr] sm:gap-3"
        >
          <dt className="text-muted">
            <Foreign text={name} />
          </dt>
          <dd className="min-w-0">
            <Value value={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Value({ value }: { readonly value: unknown }) {
  const change = readChange(value);
  if (change)
    return (
      <span className="inline-flex flex-wrap items-center gap-1.5">
        <del className="rounded bg-removed-soft px-1.5 text-removed no-underline">
          <span className="sr-only">before: </span>
          <Foreign text={change[0]} />
        </del>
        <ArrowRight size={14} aria-hidden="true" className="text-muted" />
        <ins className="rounded bg-added-soft px-1.5 font-semibold text-added no-underline">
          <span className="sr-only">after: </span>
          <Foreign text={change[1]} />
        </ins>
      </span>
    );
  if (isRows(value)) return <Rows rows={value} />;
  if (typeof value === "string" && (value.includes("\n") || value.length > 200)) return <Code text={value} />;
  if (typeof value === "object" && value !== null) return <Code text={formatJson(value)} />;
  return <Foreign text={formatPlain(value)} />;
}

/** Reads `{ before, after }` of plain values. */
function readChange(value: unknown): readonly [string, string] | undefined {
  if (typeof value !== "object" || value === null || Object.keys(value).sort().join() !== "after,before")
    return undefined;
  const { before, after } = value as { before: unknown; after: unknown };
  const isPlain = [before, after].every((one) => typeof one !== "object" || one === null);
  return isPlain ? [formatPlain(before), formatPlain(after)] : undefined;
}

/** Formats a plain value. A number may be an id, so it has no separators. */
function formatPlain(value: unknown): string {
  return String(value);
}

type Row = Readonly<Record<string, unknown>>;

/** Rows of one shape, such as a sample of the rows that a query would change. */
function Rows({ rows }: { readonly rows: readonly Row[] }) {
  const names = Object.keys(rows[0] ?? {});
  return (
    <section aria-label="Rows" tabIndex={0} className="overflow-x-auto">
      <table className="w-full text-left text-sm">
        <thead>
          <tr className="text-xs text-muted">
            {names.map((name) => (
              <th
                key={name}
                scope="col"
                className="border-b border-line py-1 pr-4 font-medium whitespace-nowrap"
              >
                <Foreign text={name} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the rows of one sample never move
            <tr key={index}>
              {names.map((name) => (
                <td key={name} className="border-b border-line py-1 pr-4 whitespace-nowrap">
                  <Foreign text={formatPlain(row[name])} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function isRows(value: unknown): value is readonly Row[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > 50) return false;
  const shapes = value.map((row) => (isFlat(row) ? Object.keys(row).join("\n") : ""));
  return shapes[0] !== "" && shapes.every((shape) => shape === shapes[0]);
}

function isFlat(value: unknown): value is Row {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((member) => typeof member !== "object" || member === null);
}
