import { useEffect, useEffectEvent } from "react";

/** Something that a person can go to on the current screen, such as a button. It decides nothing by itself. */
export interface ItemAction {
  readonly name: string;
  readonly run: () => void;
}

let offered: readonly ItemAction[] = [];

/** Returns the actions that the current screen offers to the palette. */
export function listItemActions(): readonly ItemAction[] {
  return offered;
}

/** Offers actions of the current item to the palette, while the component is shown. */
export function useItemActions(actions: readonly ItemAction[]): void {
  const run = useEffectEvent((name: string) => actions.find((action) => action.name === name)?.run());
  const names = JSON.stringify(actions.map(({ name }) => name));
  useEffect(() => {
    const own = (JSON.parse(names) as string[]).map((name) => ({ name, run: () => run(name) }));
    offered = own;
    return () => {
      if (offered === own) offered = [];
    };
  }, [names]);
}
