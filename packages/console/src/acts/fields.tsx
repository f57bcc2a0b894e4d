import { type ReactNode, useId } from "react";

const box = "w-full rounded-control border border-edge bg-surface px-2";
const line = `${box} h-9 max-md:h-11`;

/** A named line of text, with suggestions. */
export function TextField({
  name,
  hint,
  value,
  onChange,
  suggestions,
  isRequired = false,
}: {
  readonly name: string;
  readonly hint?: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly suggestions?: readonly string[] | undefined;
  readonly isRequired?: boolean;
}) {
  const id = useId();
  const list = suggestions && id;
  return (
    <Labelled name={name} hint={hint}>
      <input
        value={value}
        onChange={({ target }) => onChange(target.value)}
        required={isRequired}
        maxLength={255}
        autoComplete="off"
        spellCheck={false}
        list={list}
        className={line}
      />
      {list !== undefined && (
        <datalist id={list}>
          {suggestions?.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
    </Labelled>
  );
}

/** A named choice of one value. */
export function ChoiceField<T extends string>({
  name,
  value,
  options,
  onChange,
}: {
  readonly name: string;
  readonly value: T;
  readonly options: readonly (readonly [value: T, text: string])[];
  readonly onChange: (value: T) => void;
}) {
  return (
    <Labelled name={name}>
      <select
        value={value}
        onChange={({ target }) => {
          const chosen = options.find(([one]) => one === target.value);
          if (chosen) onChange(chosen[0]);
        }}
        className={line}
      >
        {options.map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
    </Labelled>
  );
}

function Labelled({
  name,
  hint,
  children,
}: {
  readonly name: string;
  readonly hint?: string | undefined;
  readonly children: ReactNode;
}) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: each child is or contains the control
    <label className="grid gap-1">
      <span className="text-sm font-medium">{name}</span>
      {children}
      {hint !== undefined && <span className="text-sm text-muted">{hint}</span>}
    </label>
  );
}
