import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { buildHookGroups, clientSettings } from "./install/client-settings.ts";

const guide = readFileSync(new URL("../../../../docs/connect/hooks.md", import.meta.url), "utf8");

it.each(clientSettings)(
  "the guide shows the settings of $client exactly as Paraph writes them",
  (settings) => {
    const command = `paraph hook run ${settings.client} --wait 300`;
    const blocks = [...guide.matchAll(/```json\n(.*?)```/gs)].map(([, text]) => JSON.parse(text!));
    const groups = Object.entries(buildHookGroups(settings, command, 300)).map(([event, group]) => [
      event,
      [group],
    ]);
    expect(blocks).toContainEqual({ hooks: Object.fromEntries(groups) });
  },
);
