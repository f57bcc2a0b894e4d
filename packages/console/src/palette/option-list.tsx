import { Search } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useId, useState } from "react";

/** One entry of a list below a search field. */
export interface Option {
  readonly id: string;
  readonly group: string;
  readonly label: ReactNode;
  readonly detail?: ReactNode;
  readonly run: () => void;
}

/** A search field and the options below it. The arrow keys move through the options, and Enter takes the current one. */
export function OptionList({
  label,
  placeholder,
  text,
  onText,
  options,
  empty,
}: {
  readonly label: string;
  readonly placeholder: string;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly options: readonly Option[];
  /** The text of an empty list. */
  readonly empty: ReactNode;
}) {
  const listId = useId();
  const [current, setCurrent] = useState<string>();
  const index = Math.max(
    0,
    options.findIndex(({ id }) => id === current),
  );
  const idOf = (option: Option | undefined) => option && `${listId}-${option.id}`;
  const move = (to: number) => {
    const option = options[(to + options.length) % options.length];
    if (!option) return;
    setCurrent(option.id);
    document.getElementById(idOf(option) ?? "")?.scrollIntoView({ block: "nearest" });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const target = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: options.length - 1 }[event.key];
    const isEdge = event.key === "Home" || event.key === "End";
    if (target !== undefined && !(isEdge && text !== "")) move(target);
    else if (event.key === "Enter") options[index]?.run();
    else return;
    event.preventDefault();
  };
  const groups = [...Map.groupBy(options, ({ group }) => group)];
  return (
    <>
      <div className="relative">
        <Search
          size={18}
          aria-hidden="true"
          className="absolute top-1/2 left-3 -translate-y-1/2 text-muted"
        />
        <input
          role="combobox"
          aria-expanded={options.length > 0}
          // biome-ignore lint/a11y/noAutofocus: the dialog opens to write here
          autoFocus
          aria-controls={options.length > 0 ? listId : undefined}
          aria-activedescendant={idOf(options[index])}
          aria-autocomplete="list"
          aria-label={label}
          autoComplete="off"
          spellCheck={false}
          maxLength={200}
          value={text}
          placeholder={placeholder}
          onChange={({ target }) => {
            setCurrent(undefined);
            onText(target.value);
          }}
          onKeyDown={onKeyDown}
          className="h-11 w-full rounded-control border border-edge bg-surface pr-3 pl-10 text-lg"
        />
      </div>
      {options.length > 0 && (
        <div id={listId} role="listbox" aria-label={label} className="mt-2">
          {groups.map(([group, entries]) => (
            <div key={group} role="group" aria-label={group}>
              <p aria-hidden="true" className="px-3 pt-2 pb-1 text-xs font-medium text-muted">
                {group}
              </p>
              {entries.map((option) => (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the keys of the field above work on the options
                <div
                  key={option.id}
                  id={idOf(option)}
                  role="option"
                  tabIndex={-1}
                  aria-selected={option === options[index]}
                  onClick={option.run}
                  onPointerMove={() => setCurrent(option.id)}
                  className="flex min-h-9 cursor-pointer items-center gap-3 rounded-control px-3 py-1.5 aria-selected:bg-ink-soft max-md:min-h-11"
                >
                  <span className="min-w-0 flex-1 truncate font-medium">{option.label}</span>
                  {option.detail !== undefined && (
                    <span className="max-w-[45%] flex-none truncate text-sm text-muted">{option.detail}</span>
                  )}
                </div>
              ))}
            </div>
          ))}
        </div>
      )}
      {options.length === 0 && <p className="px-3 py-4 text-muted">{empty}</p>}
    </>
  );
}
