// Builds one of the apps: vite build --mode react, vue or svelte.

import { svelte } from "@sveltejs/vite-plugin-svelte";
import vue from "@vitejs/plugin-vue";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [vue(), svelte()],
  esbuild: { jsx: "automatic" },
  build: { emptyOutDir: true },
});
