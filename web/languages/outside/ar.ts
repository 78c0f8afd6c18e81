import type { outsideSignIn } from "../../strings/account/outside.ts";

/** Ways to sign in other than a password, in Arabic. */
export const outside: typeof outsideSignIn = {
  or: "أو",
  signInWith: (name) => `تسجيل الدخول عبر ${name}`,
  joinWith: (name) => `المتابعة عبر ${name}`,
  forgot: "هل نسيت كلمة المرور؟",
  create: "إنشاء حساب",
  back: "العودة إلى تسجيل الدخول",
  reset: {
    title: "إعادة تعيين كلمة المرور",
    about: "أدخل البريد الإلكتروني لحسابك. ستصلك رسالة فيها رابط لتعيين كلمة مرور جديدة.",
  },
  signUp: {
    title: "إنشاء حساب",
    about: "أدخل بريدك الإلكتروني. ستصلك رسالة فيها رابط لإنشاء حسابك إن كان العنوان مسموحًا به.",
  },
  send: "إرسال الرابط",
  sending: "جارٍ الإرسال…",
  sent: {
    title: "تحقق من بريدك",
    about: (email) => `إن كان استخدام ${email} ممكنًا هنا، فالرابط في الطريق. يعمل مرة واحدة خلال يوم.`,
  },
  linked: {
    title: "طرق الدخول المرتبطة",
    about: (name) => `اربط ${name} لتسجيل الدخول به إلى هذا الحساب.`,
    link: (name) => `ربط ${name}`,
    at: (host) => `لدى ${host}`,
    used: (when) => `آخر استخدام ${when}`,
    remove: (label) => `إزالة ${label}`,
    removeTitle: "إزالة طريقة الدخول هذه؟",
    removeAbout: "لن يمكن بها تسجيل الدخول إلى حسابك بعد الآن. تبقى الجلسات كما هي.",
    removeAction: "إزالة",
  },
  byProxy: "يسجّل دخولك خادم وسيط أمام هذا الخادم. لتسجيل الخروج، سجّل الخروج منه.",
  invitation: { mail: "إرسال الرابط بالبريد", mailed: (email) => `الرابط في طريقه أيضًا إلى ${email}.` },
};
