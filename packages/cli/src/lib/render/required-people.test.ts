import { expect, it } from "vitest";
import { formatRequiredPeople } from "./required-people.ts";

it.each([
  [[], "one person"],
  [[{ quorum: 1 }, { quorum: 2 }], "2 people"],
  [[{ quorum: 1 }, { quorum: 1, group: "finance" }], "one person of finance"],
  [[{ quorum: 2 }, { quorum: 1, group: "finance" }], "2 people and one person of finance"],
  [
    [
      { quorum: 2, group: "a" },
      { quorum: 1, group: "b" },
      { quorum: 1, group: "a" },
    ],
    "2 people of a and one person of b",
  ],
  [[{ quorum: 1, group: "a\u202e" }], "one person of a<U+202E>"],
])("names the people whom several guards need: %j", (guards, text) => {
  expect(formatRequiredPeople(guards)).toBe(text);
});
