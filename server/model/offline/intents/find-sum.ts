import { toRequest } from "./polite.ts";
import { wishFor, type Wish } from "./wish.ts";

const asks =
  /^(?:(?<verb>calculate|compute|work out|evaluate|berechne|rechne(?: aus)?|calcule(?:z|r)?|calcula(?:r)?|calcola(?:re)?|посчитай|вычисли|计算|計算)|(?:what(?:['’]s| is)|how much (?:is|are)|solve|was (?:ist|sind|ergibt)|wie ?viel (?:ist|sind|ergibt|macht)|combien (?:font|fait)|ça fait combien|cuánto (?:es|son)|quanto (?:fa|è|fanno)|сколько будет))[\s:]*/iu;
const askedBehind = /(?:=\s*$|等于(?:多少|几)$|是多少$|は(?:いくつ|いくら|何)?(?:ですか)?$|を計算して$)/u;

const spoken: readonly (readonly [RegExp, string])[] = [
  [
    /(?:multiplied by|times|mal|fois|multiplié par|por|multiplicado por|per|moltiplicato per|умножить на|умноженное на)(?![\p{L}])|乘以|乘|かける|掛ける/giu,
    "*",
  ],
  [
    /(?:divided by|over|geteilt durch|divisé par|dividido (?:por|entre)|diviso(?: per)?|разделить на|делённое на)(?![\p{L}])|除以|割る/giu,
    "/",
  ],
  [/(?:plus|und|más|più|плюс)(?![\p{L}])|加上?|足す/giu, "+"],
  [/(?:minus|weniger|moins|menos|meno|минус)(?![\p{L}])|减去?|引く/giu, "-"],
  [
    /(?:square root of|wurzel aus|racine carrée de|raíz cuadrada de|radice quadrata di|корень из)\s*(\d+(?:\.\d+)?)/giu,
    "sqrt($1)",
  ],
  [/(?:squared|zum quadrat|au carré|al cuadrado|al quadrato|в квадрате)(?![\p{L}])/giu, "^2"],
  [/(?:percent|per cent|prozent|pour ?cent|por ciento|per cento|процент\p{L}*)(?![\p{L}])/giu, "%"],
  [/(?<=%)\s*(?:of|von|de|di|del|от)(?![\p{L}])/giu, " of"],
];

/** One character or word at a time, so that there is one way to read a long row of digits. */
const expressionForm =
  /^(?:[\d\s]|(?<=\d)\.(?=\d)|pi|tau|e|deg|(?:sqrt|abs|round|floor|ceil|min|max|mod|log|ln|exp|sin|cos|tan)(?=\s{0,20}\()|of|[-+*/^%(),×·÷−])+$/iu;
const hasWork =
  /\d\s*(?:[+*/^×·÷−-]|% of)|(?:sqrt|abs|round|floor|ceil|min|max|mod|log|ln|exp|sin|cos|tan)\s*\(|\d\s*%\s*(?:of|\d)/iu;
/** Dates, numbers of telephones and the like. */
const isName = /^\d{1,2}\/\d{1,2}(?:\/\d{2,4})?$|^\d{4}-\d{2}-\d{2}$|^[+\d]\d*(?:[-/]\d+)+$/;

/** An expression and nothing beside it but the request to work it out. */
export const findSum = (text: string): Wish | undefined => {
  const words = text.trim().replace(/(?<![?？])[?？]+$/u, "");
  const request = words.replace(askedBehind, "");
  const isAskedBehind = request !== words;
  const plain = toRequest(request);
  const asked = asks.exec(plain);
  const expression = toExpression(asked === null ? plain : plain.slice(asked[0].length));
  if (!expressionForm.test(expression) || !hasWork.test(expression)) return undefined;
  const isCertain = isAskedBehind || asked?.groups?.["verb"] !== undefined;
  if (!isCertain && isName.test(expression)) return undefined;
  return wishFor("calculate", { expression });
};

export const toExpression = (text: string): string =>
  spoken
    .reduce((rest, [form, sign]) => rest.replace(form, sign), text.replace(/^(?:the|el|le|la|il|den|das)\s+/i, ""))
    .replace(/(?<![?？=])[?？=]+$/, "")
    .trim();
