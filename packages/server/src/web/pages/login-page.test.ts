import { expect, it } from "vitest";
import {
  filterByClass,
  parseElements,
  readAttribute,
  readText,
} from "../../../../../test/support/web/dom.ts";
import { renderLoggedInPage } from "./login-page.ts";

const person = { tenant: "acme", id: "bo", kind: "person" } as const;

it("after a login, the page leads to the approvals and the console; logging out is a quiet button at the end", () => {
  const readButtons = (hasConsole: boolean) =>
    filterByClass(parseElements(renderLoggedInPage(person, hasConsole)), "button").map((each) => [
      readText(each),
      readAttribute(each, "href"),
    ]);
  const approvals = ["View your approvals", "/approvals"];
  expect(readButtons(true)).toEqual([approvals, ["Open the console", "/console/"]]);
  expect(readButtons(false)).toEqual([approvals]);
  const elements = parseElements(renderLoggedInPage(person, true));
  const [logout, ...others] = elements.filter(({ tagName }) => tagName === "button");
  expect([readText(logout!), readAttribute(logout!, "class"), others]).toEqual(["Log out", "plain", []]);
  expect(readText(elements.find(({ tagName }) => tagName === "main")!)).toMatch(/Log out$/);
});
