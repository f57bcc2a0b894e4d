import { html } from "../html/html.ts";

/** The manifest that lets people install the pages as an app. Its colors are those of the stylesheet. */
export const manifest = JSON.stringify({
  id: "/",
  name: "Paraph",
  short_name: "Paraph",
  description: "Approve or deny what AI agents want to do.",
  start_url: "/approvals",
  scope: "/",
  display: "standalone",
  background_color: "#ffffff",
  theme_color: "#ffffff",
  icons: [
    { src: "/icons/icon-192.png", sizes: "192x192", type: "image/png" },
    { src: "/icons/icon-512.png", sizes: "512x512", type: "image/png" },
    { src: "/icons/maskable-512.png", sizes: "512x512", type: "image/png", purpose: "maskable" },
  ],
});

/** The elements in the head of every page that make it installable. */
export const appLinks = html`<meta name="theme-color" media="(prefers-color-scheme: light)" content="#ffffff">
<meta name="theme-color" media="(prefers-color-scheme: dark)" content="#16181b">
<link rel="manifest" href="/manifest.webmanifest">
<link rel="icon" type="image/png" sizes="192x192" href="/icons/icon-192.png">
<link rel="apple-touch-icon" href="/icons/apple-touch-180.png">`;
