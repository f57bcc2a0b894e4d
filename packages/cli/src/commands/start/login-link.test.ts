import { expect, it } from "vitest";
import { prepareLoginLink } from "./login-link.ts";

const url = "https://paraph.example.com";

it.each([
  ["`--url`", { url, environment: { PARAPH_URL: "https://other.example" } }, "http://127.0.0.1:1"],
  ["the running `paraph dev`", { url: undefined, environment: { PARAPH_URL: "https://other.example" } }, url],
  ["PARAPH_URL", { url: undefined, environment: { PARAPH_URL: url } }, undefined],
])("a login link begins with the address of %s", (_, context, localUrl) => {
  const link = `${url}/login/local?token=t`;
  expect(prepareLoginLink(context, localUrl)("t")).toEqual({ link, text: link, advice: "" });
});

it("without an address, the text of a login link names the missing part", () => {
  expect(prepareLoginLink({ url: undefined, environment: {} })("t")).toEqual({
    link: "/login/local?token=t",
    text: "<public URL>/login/local?token=t",
    advice: ". Replace <public URL> with the public address of your server",
  });
});

it("rejects a wrong address before there is a token", () => {
  expect(() => prepareLoginLink({ url: "paraph.example.com", environment: {} })).toThrow("is not an address");
});
