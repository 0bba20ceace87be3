"""Polynomial kernels of the elementary functions.

Each function evaluates the polynomial that interpolates the stated function at the Chebyshev nodes
of the stated interval (mpmath's ``chebyfit`` at 50 digits), which is within a small factor of the
minimax polynomial; those of ``log_erfc`` are fitted by weighted least squares. Degrees are the
lowest that leave a truncation error below 0.15 ulp (f32: 0.4) of the final result, so that rounding
alone decides the accuracy. Short ones go by Horner's rule; long ones in two or four interleaved
parts, because a processor computes several of them at once only if their chains are short.

References
----------
J.-M. Muller, Elementary Functions: Algorithms and Implementation, 3rd ed., Birkhauser 2016.
M. M. Shepherd, J. G. Laframboise, Chebyshev approximation of (1 + 2x) exp(x**2) erfc(x) in
0 <= x < inf, Math. Comp. 36 (1981).
"""

from __future__ import annotations

import numpy as np

__all__ = [
    "exp_f64",
    "exp_f32",
    "log_f64",
    "sin_f64",
    "sin_f32",
    "cos_f64",
    "cos_f32",
    "atan_f64",
    "atan_f32",
    "asin_f64",
    "erf_f64",
    "erf_f32",
    "erfcx_f64",
    "log_erfc_f64",
    "log_erfc_f32",
    "log_whole_f32",
    "sin_half_turn_f32",
    "sin_half_turn_f64",
    "cbrt_f64",
]


def exp_f64(r):
    """(exp(r) - 1 - r) / r**2 for |r| <= log(2)/2."""
    square = r * r
    even = 2.091468696808687e-09
    even = even * square + 2.75572736431103e-07
    even = even * square + 2.4801587325547743e-05
    even = even * square + 0.0013888888888883748
    even = even * square + 0.04166666666666667
    even = even * square + 0.5
    odd = 2.5105217004720745e-08
    odd = odd * square + 2.7557255400206422e-06
    odd = odd * square + 0.00019841269874820627
    odd = odd * square + 0.008333333333326136
    odd = odd * square + 0.1666666666666667
    return odd * r + even


def exp_f32(r):
    """(exp(r) - 1 - r) / r**2 for |r| <= log(2)/2."""
    square = r * r
    even = np.float32(0.001392618359)
    even = even * square + np.float32(0.04166655462)
    even = even * square + np.float32(0.5)
    odd = np.float32(0.008363179053)
    odd = odd * square + np.float32(0.1666657699)
    return odd * r + even


def log_f64(z):
    """(2 atanh(s)/s - 2) / z with z = s**2 <= ((sqrt(2)-1) / (sqrt(2)+1))**2."""
    p = 0.14616585424888623
    p = p * z + 0.15331710618210773
    p = p * z + 0.18182889455674947
    p = p * z + 0.22222211130259878
    p = p * z + 0.2857142862600327
    p = p * z + 0.39999999999899444
    return p * z + 0.666666666666667


def log_whole_f32(f):
    """(log(1 + f) - f + f**2 / 2) / f**3 for sqrt(1/2) <= 1 + f <= sqrt(2)."""
    square = f * f
    even = np.float32(0.069716116)
    even = even * square + np.float32(0.1168542)
    even = even * square + np.float32(0.14249058)
    even = even * square + np.float32(0.20000716)
    even = even * square + np.float32(0.33333331)
    odd = np.float32(-0.11479734)
    odd = odd * square + np.float32(-0.12425687)
    odd = odd * square + np.float32(-0.16667803)
    odd = odd * square + np.float32(-0.24999997)
    return odd * f + even


def sin_half_turn_f32(z):
    """(sin(r)/r - 1) / z with z = r**2 <= (pi/2)**2."""
    p = np.float32(-2.408019e-08)
    p = p * z + np.float32(2.7536464e-06)
    p = p * z + np.float32(-0.00019841087)
    p = p * z + np.float32(0.008333333)
    return p * z + np.float32(-0.16666667)


def sin_half_turn_f64(z):
    """(sin(r)/r - 1) / z with z = r**2 <= (pi/2)**2."""
    p = 2.7314447669863995e-15
    p = p * z + -7.643970296798572e-13
    p = p * z + 1.6058977312464087e-10
    p = p * z + -2.5052107616996182e-08
    p = p * z + 2.7557319219163234e-06
    p = p * z + -0.00019841269841254974
    p = p * z + 0.008333333333333316
    return p * z + -0.16666666666666666


def sin_f64(z):
    """(sin(r)/r - 1) / z with z = r**2 <= (pi/4)**2."""
    square = z * z
    even = -2.5051129896450185e-08
    even = even * square + -0.00019841269836740532
    even = even * square + -0.16666666666666666
    odd = 1.5917988979397435e-10
    odd = odd * square + 2.7557316093198404e-06
    odd = odd * square + 0.008333333333330936
    return odd * z + even


def sin_f32(z):
    """(sin(r)/r - 1) / z with z = r**2 <= (pi/4)**2."""
    p = np.float32(2.724962008e-06)
    p = p * z + np.float32(-0.0001984008438)
    p = p * z + np.float32(0.00833333187)
    return p * z + np.float32(-0.1666666666)


def cos_f64(z):
    """(cos(r) - 1 + z/2) / z**2 with z = r**2 <= (pi/4)**2."""
    square = z * z
    even = 2.087614504941318e-09
    even = even * square + 2.48015872987544e-05
    even = even * square + 0.041666666666666664
    odd = -1.138254464534925e-11
    odd = odd * square + -2.755731726587808e-07
    odd = odd * square + -0.0013888888888887389
    return odd * z + even


def cos_f32(z):
    """(cos(r) - 1 + z/2) / z**2 with z = r**2 <= (pi/4)**2."""
    p = np.float32(2.454768977e-05)
    p = p * z + np.float32(-0.001388830187)
    return p * z + np.float32(0.04166666465)


def atan_f64(z):
    """(atan(t)/t - 1) / z with z = t**2 <= tan(pi/8)**2."""
    square = z * z
    even = -0.019162068915902573
    even = even * square + -0.05085030492810941
    even = even * square + -0.06664502215671447
    even = even * square + -0.09090904549884611
    even = even * square + -0.14285714284657894
    even = even * square + -0.3333333333333333
    odd = 0.03921955253255129
    odd = odd * square + 0.058580687568615106
    odd = odd * square + 0.07692182535116648
    odd = odd * square + 0.11111111014561013
    odd = odd * square + 0.1999999999999548
    return odd * z + even


def atan_f32(z):
    """(atan(t)/t - 1) / z with z = t**2 <= 1."""
    square = z * z
    even = np.float32(-0.002386997)
    even = even * square + np.float32(-0.03587154)
    even = even * square + np.float32(-0.0865688)
    even = even * square + np.float32(-0.14278568)
    even = even * square + np.float32(-0.33333331)
    odd = np.float32(0.013507771)
    odd = odd * square + np.float32(0.06250169)
    odd = odd * square + np.float32(0.110337645)
    odd = odd * square + np.float32(0.1999974)
    return odd * z + even


def asin_f64(z):
    """(asin(t)/t - 1) / z with z = t**2 <= 1/4."""
    p = 0.02877844261259304
    p = p * z + -0.014881409392818066
    p = p * z + 0.017419357964884856
    p = p * z + 0.00545087818772055
    p = p * z + 0.010324318288744113
    p = p * z + 0.011478952690257387
    p = p * z + 0.013971235301124539
    p = p * z + 0.017352391265909227
    p = p * z + 0.022372173002005596
    p = p * z + 0.030381944137085216
    p = p * z + 0.04464285714637338
    p = p * z + 0.07499999999998425
    return p * z + 0.16666666666666669


def erf_f64(z):
    """erf(x)/x - 1 with z = x**2 <= 1."""
    square = z * z
    quartic = square * square
    first = 5.957176147748911e-11
    first = first * quartic + 1.6461000484121368e-06
    first = first * quartic + 0.0052239776248180145
    first = first * quartic + 0.1283791670955126
    second = -1.6350312701054695e-07
    second = second * quartic + -0.000854832698083379
    second = second * quartic + -0.3761263890318375
    third = 1.4659775274047436e-08
    third = third * quartic + 0.0001205533111164271
    third = third * quartic + 0.11283791670954879
    fourth = -1.1372848856791674e-09
    fourth = fourth * quartic + -1.4925595266831182e-05
    fourth = fourth * quartic + -0.026866170645076792
    return (fourth * z + third) * square + (second * z + first)


def erf_f32(z):
    """erf(x)/x - 1 with z = x**2 <= 1."""
    square = z * z
    even = np.float32(7.875875063e-05)
    even = even * square + np.float32(0.005189087423)
    even = even * square + np.float32(0.1128359472)
    even = even * square + np.float32(0.1283791658)
    odd = np.float32(-0.0008016864287)
    odd = odd * square + np.float32(-0.02685421201)
    odd = odd * square + np.float32(-0.3761262667)
    return odd * z + even


def erfcx_f64(t):
    """(1 + 2x) exp(x**2) erfc(x) with t = (x - 4) / (x + 4), 0 <= x <= 28."""
    p = -1.8206098680308682e-09
    p = p * t + -1.3670989863347383e-08
    p = p * t + -7.71541861441783e-09
    p = p * t + 1.1534943745754157e-07
    p = p * t + 6.270727157198311e-08
    p = p * t + -8.351619688696847e-07
    p = p * t + 3.0135049944875397e-07
    p = p * t + 5.7178872846321855e-06
    p = p * t + -1.1224789135154701e-05
    p = p * t + -2.4403169244974074e-05
    p = p * t + 0.000150622243948303
    p = p * t + -0.00019925550755614952
    p = p * t + -0.00075777334141333
    p = p * t + 0.005031969755895426
    p = p * t + -0.016197734059115006
    p = p * t + 0.03716751556249286
    p = p * t + -0.06633036581152939
    p = p * t + 0.09373283499679412
    p = p * t + -0.10103906603635213
    p = p * t + 0.06809705425473732
    p = p * t + 0.01537965210262074
    p = p * t + -0.1396211168405629
    return p * t + 1.2329951186255526


def log_erfc_f64(a):
    """log(erfc(a)) for 1 <= a <= 5.92, to the same absolute error of erfc(a) throughout."""
    square = a * a
    quartic = square * square
    first = 2.0194175030335538e-10
    first = first * quartic + 2.113937846070142e-06
    first = first * quartic + -0.00013662173569316792
    first = first * quartic + 0.018987943734714654
    first = first * quartic + -5.137230189090485e-07
    second = -4.862792904945179e-12
    second = second * quartic + -3.6941397515818323e-07
    second = second * quartic + -1.9490766647250045e-05
    second = second * quartic + 0.0004136698298408692
    second = second * quartic + -1.128373987183642
    third = 4.591379014824248e-08
    third = third * quartic + 2.2520540890763803e-05
    third = third * quartic + -0.0019190824556590234
    third = third * quartic + -0.6366440748469602
    fourth = -3.888301437740099e-09
    fourth = fourth * quartic + -8.575071936414255e-06
    fourth = fourth * quartic + 0.0007731517429382358
    fourth = fourth * quartic + -0.10270223674451433
    return (fourth * a + third) * square + (second * a + first)


def log_erfc_f32(a):
    """log(erfc(a)) for 0.9 <= a <= 3.95, to the same absolute error of erfc(a) throughout."""
    square = a * a
    even = np.float32(0.00019725986)
    even = even * square + np.float32(0.022279719)
    even = even * square + np.float32(-0.6370544)
    even = even * square + np.float32(-0.00017683177)
    odd = np.float32(-0.003056319)
    odd = odd * square + np.float32(-0.104042426)
    odd = odd * square + np.float32(-1.1277525)
    return odd * a + even


def cbrt_f64(m):
    """cbrt(m) for 1 <= m <= 2, to 2.5e-7."""
    p = -0.002703333870412061
    p = p * m + 0.029496704251914946
    p = p * m + -0.13924853171031618
    p = p * m + 0.3751475301420356
    p = p * m + -0.655068561722188
    p = p * m + 0.9437338117552575
    return p * m + 0.44864263080415745
