// Runs before the first paint, so that a chosen look never flashes another one.
try {
  const looks = { theme: "light dark", text: "small large larger", motion: "less", density: "compact" };
  for (const [name, choices] of Object.entries(looks)) {
    const look = localStorage.getItem(`stonechat.${name}`);
    if (look && choices.split(" ").includes(look)) document.documentElement.dataset[name] = look;
  }
} catch {
  // Storage is refused: the system's look stands.
}
