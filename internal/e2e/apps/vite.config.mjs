// Builds one of the apps: vite build --mode react, vue or svelte.

import { svelte } from "@sveltejs/vite-plugin-svelte";
import react from "@vitejs/plugin-react";
import vue from "@vitejs/plugin-vue";
import { defineConfig } from "vite";

export default defineConfig(({ mode }) => ({
  plugins: [{ react, vue, svelte }[mode]()],
  build: { emptyOutDir: true },
}));
