import { expect, it } from "vitest";
import { containsHome } from "./home-folder.ts";

it.each(["/nowhere", "no-such-folder", ""])(
  "[TRUST 18] the root folder contains the home folder `%s`",
  async (home) => {
    expect(await containsHome("/", { home })).toBe(true);
  },
);
