/** A statement of a person about themselves and the field of the memory it belongs to. */
export type Fact = {
  readonly field: "name" | "age" | "location" | "preferences" | "notes";
  readonly op: "append" | "replace";
  readonly value: string;
  /** So plain that it is worth remembering unasked. */
  readonly isPlain: boolean;
};

type Form = { readonly field: Fact["field"]; readonly form: RegExp };

const forms: readonly Form[] = [
  { field: "name", form: /^(?:that )?my name(?:['’]s| is) (?<value>.+)$/iu },
  { field: "name", form: /^(?:you (?:can|may) )?call me (?<value>.+)$/iu },
  { field: "name", form: /^(?:ich hei(?:ß|ss)e|mein name ist|nenn mich) (?<value>.+)$/iu },
  { field: "name", form: /^ich (?<value>\p{Lu}\p{L}+) hei(?:ß|ss)e$/u },
  {
    field: "name",
    form: /^(?:je m['’]appelle|mon nom est|me llamo|mi nombre es|mi chiamo|il mio nome è|меня зовут|моё имя) (?<value>.+)$/iu,
  },
  { field: "name", form: /^(?:我叫|我的名字(?:是|叫))(?<value>.+)$/u },
  { field: "name", form: /^(?:私|僕|俺)の名前は(?<value>.+?)(?:です|だ)?$/u },
  { field: "location", form: /^i (?:currently |now )?live in (?<value>.+)$/iu },
  { field: "location", form: /^i(?:['’]m| am) (?:based|living) in (?<value>.+)$/iu },
  { field: "location", form: /^ich (?:wohne|lebe) in (?<value>.+)$/iu },
  { field: "location", form: /^ich in (?<value>.+) (?:wohne|lebe)$/iu },
  { field: "location", form: /^(?:j['’]habite|je vis) (?:à |en |au |aux )?(?<value>.+)$/iu },
  { field: "location", form: /^(?:vivo en|(?:abito|vivo) (?:a|in)|я живу во?) (?<value>.+)$/iu },
  { field: "location", form: /^我(?:现在)?(?:住在|住)(?<value>.+)$/u },
  { field: "location", form: /^(?:私は|僕は)?(?<value>.+?)に住んで(?:いる|る|います|ます)$/u },
  { field: "age", form: /^i(?:['’]m| am) (?<value>\d{1,3})(?: years? old)?$/iu },
  { field: "age", form: /^my age is (?<value>\d{1,3})$/iu },
  { field: "age", form: /^ich bin (?<value>\d{1,3})(?: jahre alt)?$/iu },
  { field: "age", form: /^j['’]ai (?<value>\d{1,3}) ans$/iu },
  { field: "age", form: /^(?:tengo (?<value>\d{1,3}) años)$/iu },
  { field: "age", form: /^ho (?<value>\d{1,3}) anni$/iu },
  { field: "age", form: /^мне (?<value>\d{1,3})(?: лет| года| год)?$/iu },
  { field: "age", form: /^我(?:今年)?(?<value>\d{1,3})岁$/u },
  { field: "age", form: /^(?:私は|僕は)?(?<value>\d{1,3})歳(?:です|だ)?$/u },
  {
    field: "preferences",
    form: /^(?<value>(?:i (?:like|love|prefer|enjoy|hate|dislike|don['’]t like) |ich (?:mag|liebe|bevorzuge|hasse) |j['’](?:aime|adore) |je préfère |(?:no )?me gustan? |prefiero |(?:non )?mi piac(?:e|ciono) |preferisco |я люблю |мне нравится |я предпочитаю |我喜欢|我喜歡).+)$/iu,
  },
  { field: "preferences", form: /^(?<value>ich .+ (?:mag|liebe|bevorzuge))$/iu },
  { field: "preferences", form: /^(?<value>(?:私は|僕は)?.+が(?:大)?好き)(?:です|だ)?$/u },
];

/** "My name is on the list", "call me tomorrow": a name begins otherwise, and is short. */
const noName =
  /^(?:on|in|at|not|the|a|an|no|wrong|missing|later|back|tomorrow|today|when|if|as|asap|maybe|nicht|auf|morgen|später|an|quand|mañana|luego|domani)(?![\p{L}])/iu;

export const readFact = (statement: string): Fact | undefined => {
  for (const { field, form } of forms) {
    const value = form
      .exec(statement)
      ?.groups?.["value"]?.trim()
      .replace(/[.!。！]+$/u, "");
    if (value === undefined || value === "" || !isFitting(field, value)) continue;
    if (field === "preferences") return { field, op: "append", value, isPlain: false };
    return { field, op: "replace", value, isPlain: true };
  }
  return undefined;
};

const isFitting = (field: Fact["field"], value: string): boolean => {
  if (field === "preferences") return true;
  if (field === "age") return Number(value) > 0 && Number(value) < 130;
  if (field === "location") return value.length <= 80 && value.split(/\s+/).length <= 6;
  return value.length <= 60 && value.split(/\s+/).length <= 4 && !noName.test(value);
};

const mine = "(?:my|mein(?:en|e)?|mon|ma|mes|mi|mis|(?:il |la |i |le )?mi[oaei]?|мо[йеёяю]|我的|私の)?\\s*";
const fieldWords: Readonly<Record<string, string>> = {
  name: "name|namen|nom|nombre|nome|имя|名字|名前",
  age: "age|alter|âge|edad|età|возраст|年龄|年紀|年齢",
  location:
    "location|home|home town|address|where i live|wohnort|adresse|ville|ubicación|ciudad|città|адрес|город|住址|地址|住所",
  preferences: "preferences?|vorlieben?|préférences?|preferencias?|preferenz[ae]|предпочтения|偏好|好み",
  interests: "interests?|interessen?|intérêts?|intereses|interessi|интересы|兴趣|興味",
  tendencies: "tendenc(?:y|ies)|tendenzen|tendances|tendencias|tendenze",
  notes: "notes?|notizen|notas|note|заметки|笔记|メモ",
};

/** The field that is named, when nothing else is. */
export const findField = (words: string): string | undefined =>
  Object.entries(fieldWords).find(([, names]) => new RegExp(`^${mine}(?:${names})$`, "iu").test(words))?.[0];
