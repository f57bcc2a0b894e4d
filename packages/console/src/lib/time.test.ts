import { expect, it } from "vitest";
import { formatZone } from "./time.ts";

it.each([
  ["Europe/Berlin", "Berlin time"],
  ["America/Argentina/Buenos_Aires", "Buenos Aires time"],
  ["Etc/UTC", "UTC"],
  ["UTC", "UTC"],
])("the time zone %s is %s", (zone, name) => {
  expect(formatZone(zone)).toBe(name);
});
