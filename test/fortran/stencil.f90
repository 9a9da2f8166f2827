! Two arrays of a stencil in two dimensions, of fixed size and with bounds that do not start at one.
subroutine stencil(steps, u, v)
  implicit none
  integer, intent(in) :: steps
  double precision, intent(inout) :: u(0:65, 0:57), v(0:65, 0:57)
  integer :: t, i, j
  do t = 1, steps
    do j = 1, 56
      do i = 1, 64
        v(i, j) = 0.2d0 * (u(i, j) + u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1))
      end do
    end do
    do j = 1, 56
      do i = 1, 64
        u(i, j) = 0.2d0 * (v(i, j) + v(i - 1, j) + v(i + 1, j) + v(i, j - 1) + v(i, j + 1))
      end do
    end do
  end do
end subroutine

program main
  implicit none
  double precision :: u(0:65, 0:57), v(0:65, 0:57)
  integer :: i, j
  do j = 0, 57
    do i = 0, 65
      u(i, j) = dble(mod(i * j + 3, 23)) / 5d0
      v(i, j) = u(i, j)
    end do
  end do
  call stencil(9, u, v)
  do j = 0, 57
    do i = 0, 65
      write (*, '(z16.16)') u(i, j)
    end do
  end do
end program
