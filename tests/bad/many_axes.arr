-- $ arr run bad/many_axes.arr --entry many 1 1.0
-- Sums in sums, 66 deep.
def many(n: i64, x: f64) -> f64 = sum(for i65 < n => sum(for i64 < n => sum(for i63 < n => sum(
  for i62 < n => sum(for i61 < n => sum(for i60 < n => sum(for i59 < n => sum(for i58 < n => sum(
    for i57 < n => sum(for i56 < n => sum(for i55 < n => sum(for i54 < n => sum(for i53 < n => sum(
      for i52 < n => sum(for i51 < n => sum(for i50 < n => sum(for i49 < n => sum(for i48 < n =>
        sum(for i47 < n => sum(for i46 < n => sum(for i45 < n => sum(for i44 < n => sum(
          for i43 < n => sum(for i42 < n => sum(for i41 < n => sum(for i40 < n => sum(for i39 < n =>
            sum(for i38 < n => sum(for i37 < n => sum(for i36 < n => sum(for i35 < n => sum(
              for i34 < n => sum(for i33 < n => sum(for i32 < n => sum(for i31 < n => sum(
                for i30 < n => sum(for i29 < n => sum(for i28 < n => sum(for i27 < n => sum(
                  for i26 < n => sum(for i25 < n => sum(for i24 < n => sum(for i23 < n => sum(
                    for i22 < n => sum(for i21 < n => sum(for i20 < n => sum(for i19 < n => sum(
                      for i18 < n => sum(for i17 < n => sum(for i16 < n => sum(for i15 < n => sum(
                        for i14 < n => sum(for i13 < n => sum(for i12 < n => sum(for i11 < n => sum(
                          for i10 < n => sum(for i9 < n => sum(for i8 < n => sum(for i7 < n => sum(
                            for i6 < n => sum(for i5 < n => sum(for i4 < n => sum(for i3 < n =>
                              sum(for i2 < n => sum(for i1 < n => sum(for i0 < n => x))))))
                          ))))
                        ))))
                      ))))
                    ))))
                  ))))
                ))))
              ))))
            )))))))))
        )))))))))
    )))))
  )))))
))))
