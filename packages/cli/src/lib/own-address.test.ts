import { expect, it } from "vitest";
import { requireOwnAddress } from "./own-address.ts";

const own = ["192.168.1.20", "2001:db8::20"];

it("`dev --host` accepts loopback and the addresses of this computer", () => {
  for (const host of ["127.0.0.1", "::1", "localhost", ...own]) requireOwnAddress(host, own);
});

it("`dev --host` refuses other addresses and all networks at once, and lists the addresses to choose from", () => {
  for (const host of ["0.0.0.0", "::", "192.168.1.21", "example.com"])
    expect(() => requireOwnAddress(host, own)).toThrow(
      `\`${host}\` is not an address of this computer. Choose one of its addresses: \`192.168.1.20\`, \`2001:db8::20\`.`,
    );
  expect(() => requireOwnAddress("0.0.0.0", [])).toThrow("It has no network address.");
});
