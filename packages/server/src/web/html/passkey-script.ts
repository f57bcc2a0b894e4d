import { sha256Hex } from "@paraph/core";

/**
 * The only script of the pages. It runs the WebAuthn ceremony when a person presses a button with `data-passkey`, puts
 * the result into a hidden field, and posts the form. Everything else on the pages works without it.
 */
export const passkeyScript = `"use strict";
const decode = (text) =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
const encode = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

async function approve(form) {
  const body = new URLSearchParams(new FormData(form));
  body.set("decision", "approve");
  const response = await fetch(form.action.replace(/decision$/, "passkey"), { method: "POST", body });
  const asked = await response.json();
  if (!response.ok) throw new Error(asked.message);
  const { id, response: signed } = await navigator.credentials.get({
    publicKey: {
      challenge: decode(asked.challenge),
      rpId: asked.rpId,
      userVerification: "required",
      allowCredentials: asked.credentials.map((one) => ({ type: "public-key", id: decode(one) })),
    },
  });
  return {
    decision: "approve",
    assertion: JSON.stringify({
      id,
      clientDataJSON: encode(signed.clientDataJSON),
      authenticatorData: encode(signed.authenticatorData),
      signature: encode(signed.signature),
    }),
  };
}

async function enrol(form) {
  const { challenge, rpId, person, credentials, algorithms } = JSON.parse(form.dataset.options);
  const { id, response: made } = await navigator.credentials.create({
    publicKey: {
      challenge: decode(challenge),
      rp: { id: rpId, name: "Paraph" },
      user: { id: new TextEncoder().encode(person).slice(0, 64), name: person, displayName: person },
      pubKeyCredParams: algorithms.map((alg) => ({ type: "public-key", alg })),
      authenticatorSelection: { userVerification: "required" },
      attestation: "none",
      excludeCredentials: credentials.map((one) => ({ type: "public-key", id: decode(one) })),
    },
  });
  return {
    registration: JSON.stringify({
      id,
      clientDataJSON: encode(made.clientDataJSON),
      attestationObject: encode(made.attestationObject),
    }),
  };
}

document.addEventListener("submit", async (event) => {
  const ceremony = { approve, enrol }[event.submitter?.dataset.passkey];
  if (!ceremony) return;
  event.preventDefault();
  const form = event.target;
  const status = form.querySelector("[data-passkey-status]");
  event.submitter.disabled = true;
  status.textContent = "Confirm with your passkey.";
  try {
    for (const [name, value] of Object.entries(await ceremony(form))) {
      const field = document.createElement("input");
      Object.assign(field, { type: "hidden", name, value });
      form.append(field);
    }
    form.submit();
  } catch (error) {
    event.submitter.disabled = false;
    status.textContent = "Nothing was sent. " + (error.message || "The passkey was not used.");
  }
});
`;

/** The address of the script. It contains a digest of the text, so that browsers can cache each version. */
export const passkeyScriptPath = `/passkeys.js?${sha256Hex(passkeyScript).slice(0, 12)}`;
