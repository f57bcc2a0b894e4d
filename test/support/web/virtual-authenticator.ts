import type { Page } from "playwright-core";

/**
 * Gives the page an authenticator, and returns a function that lets it verify the user or fail. By default it is part of
 * the device. A security key without a PIN can't verify the user.
 */
export async function addAuthenticator(page: Page, kind: "device" | "key without PIN" = "device") {
  const isDevice = kind === "device";
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  const { authenticatorId } = await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      ...{ protocol: "ctap2", transport: isDevice ? "internal" : "usb", hasResidentKey: true },
      ...{ hasUserVerification: isDevice, isUserVerified: isDevice, automaticPresenceSimulation: true },
    },
  });
  return (isUserVerified: boolean) =>
    devtools.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified });
}
