import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import type { PolicySet } from "../api/types.ts";
import { Foreign } from "../lib/foreign.tsx";
import { CedarLine } from "./cedar.tsx";
import { compareLines } from "./line-diff.ts";
import { usePolicyDraft } from "./policy-draft.ts";
import { policyExamples } from "./policy-examples.ts";

const newFile = "policies/new.cedar";

/** Edits the files of a candidate, and shows their changes against the set in force. */
export function DraftEditor({
  policy,
  onChange,
}: {
  readonly policy: PolicySet;
  readonly onChange: () => void;
}) {
  const { file: wanted } = useSearch({ from: "/policies/backtest" });
  const navigate = useNavigate({ from: "/policies/backtest" });
  const { draft, change } = usePolicyDraft();
  const [isComparing, setComparing] = useState(false);
  // The preset comes with Paraph, so a candidate can't replace its text.
  const own = policy.files.filter(({ file }) => !file.startsWith("presets/"));
  const names = [...new Set([...own.map(({ file }) => file), ...draft.map(({ file }) => file), newFile])];
  const file =
    wanted !== undefined && names.includes(wanted) ? wanted : (draft[0]?.file ?? names[0] ?? newFile);
  const before = own.find((one) => one.file === file)?.text ?? "";
  const text = draft.find((one) => one.file === file)?.text ?? before;
  const lines = compareLines(before, text);
  const edit = (next: string | undefined) => {
    change(file, next);
    onChange();
  };
  const count = (kind: "added" | "removed") => lines.filter((line) => line.kind === kind).length;
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 border-b border-line p-3.5">
        <select
          value={file}
          aria-label="File"
          onChange={({ target }) => void navigate({ search: (old) => ({ ...old, file: target.value }) })}
          className="h-9 max-w-full min-w-0 rounded-control border border-edge bg-surface px-1 font-mono text-sm max-md:h-11"
        >
          {names.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
        <span className="font-semibold text-added">+{count("added")}</span>
        <span className="font-semibold text-removed">−{count("removed")}</span>
        <button
          type="button"
          aria-pressed={isComparing}
          className="btn ml-auto"
          onClick={() => setComparing(!isComparing)}
        >
          {isComparing ? "Edit" : "Show changes"}
        </button>
        {text !== before && (
          <button type="button" className="btn" onClick={() => edit(undefined)}>
            Discard
          </button>
        )}
      </div>
      {text === "" && (
        <p className="flex flex-wrap items-center gap-x-4 gap-y-1 px-3.5 pt-2.5 text-sm text-muted">
          Begin with an example:
          {policyExamples.map(([name, example]) => (
            <button
              key={name}
              type="button"
              className="link min-h-6 text-left max-md:min-h-11"
              onClick={() => edit(example)}
            >
              {name}
            </button>
          ))}
        </p>
      )}
      {isComparing ? (
        <pre
          role="region"
          tabIndex={0}
          aria-label="Changes against the set in force"
          className="max-h-150 overflow-auto py-1.5 leading-5 -outline-offset-2"
        >
          {lines.map((line, index) => (
            <span
              // biome-ignore lint/suspicious/noArrayIndexKey: the lines of one comparison never move
              key={index}
              className={`block min-w-max pr-3.5 ${line.kind === "added" ? "bg-added-soft" : line.kind === "removed" ? "bg-removed-soft" : ""}`}
            >
              <span aria-hidden="true" className="inline-block w-10 pr-2 text-right text-muted select-none">
                {line.number}
              </span>
              <span className="inline-block w-4 select-none">
                {line.kind === "added" ? "+" : line.kind === "removed" ? "-" : ""}
                {line.kind !== "same" && <span className="sr-only">{line.kind}: </span>}
              </span>
              <CedarLine line={line.text} />
              {"\n"}
            </span>
          ))}
        </pre>
      ) : (
        <label className="block">
          <span className="sr-only">
            Text of <Foreign text={file} />
          </span>
          <textarea
            value={text}
            onChange={({ target }) => edit(target.value === before ? undefined : target.value)}
            rows={22}
            spellCheck={false}
            placeholder="A policy in Cedar"
            className="block w-full resize-y bg-surface p-3.5 font-mono text-[12.5px] leading-5 -outline-offset-2"
          />
        </label>
      )}
    </>
  );
}
