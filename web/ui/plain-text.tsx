export const PlainText = ({ text }: { readonly text: string }) => (
  <div dir="auto" className="[unicode-bidi:plaintext] leading-relaxed wrap-anywhere whitespace-pre-wrap">
    {text}
  </div>
);
