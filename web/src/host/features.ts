/** The extensions of version 1 that this Host knows. */
export const FEATURES = [
  "sessions",
  "handles+",
  "dialog",
  "eval",
  "uploads",
  "resume",
  "alive",
  "codes",
  "standby",
  "nested",
  "sessionIds",
  "payloadLast",
  "chunks",
  "downloads",
];
