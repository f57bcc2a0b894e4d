import { escapeInvisible } from "@paraph/core/escape-invisible";
import { useId } from "react";
import type { Round } from "../api/types.ts";
import { Foreign } from "../lib/foreign.tsx";
import { parseJson } from "../lib/json.ts";

/** The answer that a capability requests with an approval. */
interface AnswerRequest {
  readonly question?: string;
  readonly kind: "confirm" | "choice" | "text" | "json";
  readonly options: readonly string[];
}

/** Returns the answer that this round asks for, or undefined if it asks for none. */
export function readAnswerRequest({ guards, input }: Round): AnswerRequest | undefined {
  if (!guards.some(({ id }) => id === "capability:answer")) return undefined;
  const { question, kind, options } = (typeof input === "object" && input !== null ? input : {}) as Partial<
    Record<"question" | "kind" | "options", unknown>
  >;
  const asked = typeof question === "string" ? { question } : {};
  if (kind === "choice" && Array.isArray(options)) return { ...asked, kind, options: options.map(String) };
  return { ...asked, kind: kind === "confirm" || kind === "text" ? kind : "json", options: [] };
}

/** Returns the answer that the written text states, or undefined if it states none. */
export function parseAnswer(
  { kind, options }: AnswerRequest,
  text: string,
): { readonly value: unknown } | undefined {
  if (text === "") return undefined;
  switch (kind) {
    case "confirm":
      return { value: text === "true" };
    case "choice":
      return { value: options[Number(text)] };
    case "text":
      return { value: text };
    case "json":
      return parseJson(text);
  }
}

const control = "w-full rounded-control border border-edge bg-surface px-2";

/** The question of the requester, and the control for its answer. */
export function AnswerField({
  request: { question, kind, options },
  text,
  onChange,
}: {
  readonly request: AnswerRequest;
  readonly text: string;
  readonly onChange: (text: string) => void;
}) {
  const id = useId();
  const choices =
    kind === "confirm"
      ? [
          ["true", "Yes"],
          ["false", "No"],
        ]
      : options.map((option, index) => [String(index), escapeInvisible(option)]);
  return (
    <div className="mb-3 grid gap-1">
      <label htmlFor={id} className="text-sm font-medium">
        {question === undefined ? "Your answer" : <Foreign text={question} />}
      </label>
      {kind === "text" || kind === "json" ? (
        <textarea
          id={id}
          value={text}
          onChange={({ target }) => onChange(target.value)}
          rows={2}
          maxLength={10_000}
          className={`${control} py-1.5 ${kind === "json" ? "font-mono text-sm" : ""}`}
        />
      ) : (
        <select
          id={id}
          value={text}
          onChange={({ target }) => onChange(target.value)}
          className={`${control} h-9 max-md:h-11 md:max-w-80`}
        >
          <option value="">Choose…</option>
          {choices.map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      )}
    </div>
  );
}
