import { escapeInvisible } from "@paraph/core/escape-invisible";
import { useId } from "react";
import { Foreign } from "../lib/foreign.tsx";
import type { Field } from "./schema-fields.ts";
import type { InputForm } from "./use-input-form.ts";

const control = "w-full rounded-control border border-edge bg-surface px-2 py-1.5 max-md:py-2.5";

/**
 * The fields of an input, with their types and the required ones marked. Text areas grow with their text, so that only the
 * page scrolls.
 */
export function InputFields({
  form,
  showFaults,
}: {
  readonly form: InputForm;
  /** Whether empty required fields count as faults already. */
  readonly showFaults: boolean;
}) {
  const { fields, json, jsonFault, canUseFields, setJson, setAsJson } = form;
  return (
    <div className="grid gap-3">
      {fields ? (
        fields.length === 0 ? (
          <p className="text-muted">This capability needs no input.</p>
        ) : (
          <FieldList fields={fields} form={form} showFaults={showFaults} />
        )
      ) : (
        <label className="grid gap-1">
          <span className="text-sm font-medium">Input as JSON</span>
          <textarea
            value={json}
            onChange={({ target }) => setJson(target.value)}
            rows={8}
            spellCheck={false}
            className={`${control} font-mono text-sm`}
          />
          <span className="text-sm text-critical">{jsonFault}</span>
        </label>
      )}
      {canUseFields && (
        <button
          type="button"
          className="link justify-self-start text-sm max-md:min-h-11"
          onClick={() => setAsJson(fields !== undefined)}
        >
          {fields ? "Write the input as JSON" : "Use the fields"}
        </button>
      )}
    </div>
  );
}

function FieldList({
  fields,
  form,
  showFaults,
}: {
  readonly fields: readonly Field[];
  readonly form: InputForm;
  readonly showFaults: boolean;
}) {
  return fields.map((field) =>
    field.kind === "group" ? (
      <fieldset key={field.path} className="grid gap-3 rounded-control border border-line p-3">
        <legend className="px-1 text-sm">
          <FieldName field={field} />
        </legend>
        <FieldList fields={field.fields ?? []} form={form} showFaults={showFaults} />
      </fieldset>
    ) : (
      <FieldInput key={field.path} field={field} form={form} showFaults={showFaults} />
    ),
  );
}

/** The name of a field, its type, and whether it is required. */
export function FieldName({ field: { name, type, isRequired } }: { readonly field: Field }) {
  return (
    <>
      <span className="font-medium">
        <Foreign text={name} />
      </span>{" "}
      <span className="text-muted">
        <Foreign text={type} />
      </span>
      {isRequired && <span className="ml-2 text-xs font-medium text-high">required</span>}
    </>
  );
}

function FieldInput({
  field,
  form: { texts, faults, setText },
  showFaults,
}: {
  readonly field: Field;
  readonly form: InputForm;
  readonly showFaults: boolean;
}) {
  const id = useId();
  const { kind, path, description, isRequired, isLong, examples } = field;
  const text = texts[path] ?? "";
  const fault = showFaults || text !== "" ? faults.get(path) : undefined;
  const example = examples.map(formatExample).find((one) => one !== "");
  const common = {
    id,
    value: text,
    "aria-describedby": `${id}-about`,
    "aria-required": isRequired,
    "aria-invalid": fault !== undefined,
    ...(example !== undefined && { placeholder: `such as ${example}` }),
  };
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-1">
      <label htmlFor={id} className="text-sm">
        <FieldName field={field} />
      </label>
      {kind === "boolean" || kind === "choice" ? (
        <select
          {...common}
          onChange={({ target }) => setText(path, target.value)}
          className={`${control} h-9 max-w-60 py-0 max-md:h-11`}
        >
          <option value="">{isRequired ? "Choose…" : "Not set"}</option>
          {listOptions(field).map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      ) : kind === "number" ? (
        <input
          {...common}
          inputMode="decimal"
          autoComplete="off"
          onChange={({ target }) => setText(path, target.value)}
          className={`${control} max-w-60`}
        />
      ) : (
        <textarea
          {...common}
          rows={kind !== "text" ? 2 : isLong ? 6 : 1}
          autoComplete="off"
          spellCheck={false}
          onChange={({ target }) => setText(path, target.value)}
          className={`${control} field-sizing-content ${isLong ? "min-h-34 resize-y" : "min-h-9 resize-none"} ${kind === "json" ? "font-mono text-sm" : ""}`}
        />
      )}
      <p id={`${id}-about`} className="text-sm text-muted empty:hidden">
        {fault !== undefined && <span className="font-medium text-critical">{fault} </span>}
        {description !== undefined && <Foreign text={description} />}
        {kind === "list" && " One per line."}
      </p>
    </div>
  );
}

function listOptions({ kind, options = [] }: Field): readonly (readonly [value: string, name: string])[] {
  if (kind === "boolean")
    return [
      ["true", "Yes"],
      ["false", "No"],
    ];
  return options.map((option, index) => [String(index), formatExample(option)]);
}

/** Formats a value of a schema for places that show plain text only. */
export function formatExample(value: unknown): string {
  return escapeInvisible(typeof value === "string" ? value : JSON.stringify(value));
}
