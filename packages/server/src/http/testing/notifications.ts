import { createECDH } from "node:crypto";
import { toDeviceId } from "../../postgres/index.ts";
import type { NotificationPreferences, NotificationService } from "../../services/notifications.ts";
import type { PushDevice } from "../../services/push-devices.ts";

/** Creates the preferences and devices of people in memory, with the channels `mail` and `push`. */
export function createTestNotifications(): NotificationService {
  const chosen = new Map<string, NotificationPreferences>();
  const devices = new Map<string, readonly PushDevice[]>();
  const listDevices = (id: string) => devices.get(id) ?? [];
  const publicKey = createECDH("prime256v1").generateKeys("base64url");
  return {
    read: async ({ id }) => ({
      ...chosen.get(id),
      available: [
        { channel: "mail", address: `${id}@example.com` },
        { channel: "push", devices: listDevices(id) },
      ],
    }),
    markOpened: async () => {},
    listNotices: async () => [],
    write: async ({ id }, preferences) => void chosen.set(id, preferences),
    push: {
      list: async ({ id }) => listDevices(id),
      findPublicKey: async () => publicKey,
      add: async ({ id }, name, { endpoint }) => {
        const device = { id: toDeviceId(endpoint), name, addedAt: Date.parse("2026-03-01T09:30:00Z") };
        devices.set(id, [...listDevices(id), device]);
        return "added";
      },
      remove: async ({ id }, device) =>
        void devices.set(
          id,
          listDevices(id).filter((one) => one.id !== device),
        ),
    },
  };
}
