export default { build: { rollupOptions: { input: ["index.html", "host.html"] } } };
