import encodeQR from "qr";

/** Drawn here, because its text is a secret. Black on white in every theme, as cameras expect it. */
const QrCode = ({ text, label }: { readonly text: string; readonly label: string }) => {
  const rows = encodeQR(text, "raw", { ecc: "medium", border: 3 });
  const path = rows.map((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : "")).join("")).join("");
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${rows.length} ${rows.length}`}
      shapeRendering="crispEdges"
      className="size-44 flex-none rounded-xl bg-white"
    >
      <path d={path} fill="black" />
    </svg>
  );
};

export default QrCode;
